import type { FlvTag } from '../live/media/flv.ts';
import type { StreamHeaders } from '../live/stream-headers.ts';
import { createOutput, type Output, type OutputPlan, type OutputState } from './output.ts';

export interface Outputs {
  /** Adds, replaces and removes changed outputs; the others continue. */
  set(plans: readonly OutputPlan[], isPrivateAllowed: boolean): void;
  push(tag: FlvTag): void;
  tick(nowMs: number, isFed: boolean): void;
  /** The session has ended: all targets are disconnected. */
  stop(): void;
  print(): OutputState[];
}

export function createOutputs(headers: StreamHeaders, onChange: () => void): Outputs {
  let isPrivateAllowed = false;
  let outputs: Output[] = [];
  const create = (plan: OutputPlan) => createOutput({ plan, isPrivateAllowed, headers, onChange });
  return {
    set(plans, allowed) {
      const isSameRule = allowed === isPrivateAllowed;
      isPrivateAllowed = allowed;
      const before = new Map(outputs.map((output) => [output.plan.id, output]));
      outputs = plans.map((plan) => {
        const existing = before.get(plan.id);
        if (!existing || !isSameRule || !isSame(existing.plan, plan)) return create(plan);
        before.delete(plan.id);
        return existing;
      });
      for (const output of before.values()) output.close();
    },
    push(tag) {
      for (const output of outputs) output.push(tag);
    },
    tick(nowMs, isFed) {
      for (const output of outputs) output.tick(nowMs, isFed);
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
