/** What was asked of the control API cannot be done. */
export class ControlRefusal extends Error {}
