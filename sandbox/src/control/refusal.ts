/** The request to the control API cannot be executed. */
export class ControlRefusal extends Error {}
