import type { FlvTag } from '../live/media/flv.ts';
import type { StreamHeaders } from '../live/stream-headers.ts';
import { createOutput, type Output, type OutputPlan, type OutputState } from './output.ts';

export interface Outputs {
  /** Adds, replaces and removes outputs as planned. Unchanged outputs continue. */
  set(plans: readonly OutputPlan[], arePrivateAddressesAllowed: boolean): void;
  push(tag: FlvTag): void;
  tick(nowMs: number, isEncoderConnected: boolean): void;
  /** Disconnects all targets when the session has ended. */
  stop(): void;
  print(): OutputState[];
}

export function createOutputs(headers: StreamHeaders, onChange: () => void): Outputs {
  let arePrivateAddressesAllowed = false;
  let outputs: Output[] = [];
  const create = (plan: OutputPlan) => createOutput({ plan, arePrivateAddressesAllowed, headers, onChange });
  return {
    set(plans, allowed) {
      const isSameRule = allowed === arePrivateAddressesAllowed;
      arePrivateAddressesAllowed = allowed;
      const previous = new Map(outputs.map((output) => [output.plan.id, output]));
      outputs = plans.map((plan) => {
        const existing = previous.get(plan.id);
        if (!existing || !isSameRule || !isSame(existing.plan, plan)) return create(plan);
        previous.delete(plan.id);
        return existing;
      });
      for (const output of previous.values()) output.close();
    },
    push(tag) {
      for (const output of outputs) output.push(tag);
    },
    tick(nowMs, isEncoderConnected) {
      for (const output of outputs) output.tick(nowMs, isEncoderConnected);
    },
    stop() {
      for (const output of outputs) output.close();
      outputs = outputs.map(({ plan }) => create(plan));
    },
    print: () => outputs.map((output) => output.print()),
  };
}

function isSame(one: OutputPlan, other: OutputPlan): boolean {
  return one.url === other.url && one.streamKey === other.streamKey && one.enabled === other.enabled;
}
