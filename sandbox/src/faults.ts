import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from './http/answer.ts';

export const faultKinds = [
  'delay',
  'hang',
  'connection-reset',
  'http-error',
  'html-page',
  'half-answer',
  'trickle',
  'truncated-xml',
  'malformed-xml',
  'wrong-content',
  'entity-bomb',
  'oversize',
  'redirect',
] as const;

export type FaultKind = (typeof faultKinds)[number];

/** An injected fault. */
export interface Fault {
  kind: FaultKind;
  /** The affected call (`create`, `root`, …), or `*` for every call. */
  call: string;
  /** The number of affected calls; null: until cleared. */
  times: number | null;
  /**
   * Whether the call takes effect despite the fault. By default true for the kinds that send the correct response or a
   * part of it.
   */
  applied: boolean;
  /** For `delay` (default 1000). */
  milliseconds: number;
  /** For `http-error` (default 500). */
  status: number;
  /** For `oversize` (default 6 MiB). */
  bytes: number;
  /** For `redirect` (default a host that does not exist). */
  location: string;
}

export type FaultRequest = Pick<Fault, 'kind'> & Partial<Fault>;

export interface FaultList {
  all(): readonly Fault[];
  inject(request: FaultRequest): Fault;
  /** Clears the faults of one call, or all. Delayed responses are sent immediately. */
  clear(call?: string): void;
  /** The fault for a call, counted down. A fault for this call takes precedence over one for every call. */
  take(call: string): Fault | null;
  /** Aborted when the fault is cleared. */
  clearSignal(fault: Fault): AbortSignal;
}

export function createFaultList(): FaultList {
  let faults: Fault[] = [];
  /** By call name. */
  const clearControllers = new Map<string, AbortController>();
  return {
    all: () => faults,
    inject(request) {
      const fault = { ...defaults, applied: kindsAppliedByDefault.has(request.kind), ...request };
      faults.push(fault);
      return fault;
    },
    clear(call) {
      faults = call === undefined ? [] : faults.filter((fault) => fault.call !== call);
      for (const [key, controller] of clearControllers) {
        if (call !== undefined && key !== call) continue;
        clearControllers.delete(key);
        controller.abort();
      }
    },
    take(call) {
      const fault =
        faults.find((injected) => injected.call === call) ?? faults.find((injected) => injected.call === '*');
      if (!fault) return null;
      if (fault.times !== null) {
        fault.times--;
        if (fault.times <= 0) faults = faults.filter((other) => other !== fault);
      }
      return fault;
    },
    clearSignal({ call }) {
      const controller = clearControllers.get(call) ?? new AbortController();
      clearControllers.set(call, controller);
      return controller.signal;
    },
  };
}

const kindsAppliedByDefault: ReadonlySet<FaultKind> = new Set(['delay', 'half-answer', 'trickle', 'truncated-xml']);

const defaults = {
  call: '*',
  times: 1,
  milliseconds: 1_000,
  status: 500,
  bytes: 6 * 1024 * 1024,
  location: 'http://elsewhere.invalid/bigbluebutton/api',
};

/** The outcome for the caller: an answer, a damaged answer, no answer, or a broken connection. */
export type Outcome = Answer | DamagedAnswer | 'hang' | 'reset';

/** Half: the connection breaks in the middle. Trickle: one byte every 100 ms. */
export interface DamagedAnswer {
  sending: 'half' | 'trickle';
  answer: Answer;
}

/** @param endSignal ends a delay early */
export async function applyFault(fault: Fault, answer: Answer, endSignal: AbortSignal): Promise<Outcome> {
  switch (fault.kind) {
    case 'delay':
      await sleep(fault.milliseconds, undefined, { ref: false, signal: endSignal }).catch(() => null);
      return answer;
    case 'hang':
      return 'hang';
    case 'connection-reset':
      return 'reset';
    case 'half-answer':
      return { sending: 'half', answer };
    case 'trickle':
      return { sending: 'trickle', answer };
    case 'http-error':
      return page(fault.status, errorPage(fault.status));
    case 'html-page':
      return page(200, errorPage(200));
    case 'truncated-xml':
      return { ...answer, body: answer.body.slice(0, Math.floor(answer.body.length / 2)) };
    case 'malformed-xml':
      return xml('<response><returncode>SUCCESS</returncode><message>&nope; <a></b></response>');
    case 'wrong-content':
      return xml('<rss version="2.0"><channel><title>Not what you asked for</title></channel></rss>');
    case 'entity-bomb':
      return xml(entityBomb());
    case 'oversize':
      return xml(`<response><returncode>SUCCESS</returncode><padding>${'x'.repeat(fault.bytes)}</padding></response>`);
    case 'redirect':
      return { status: 302, headers: { location: fault.location }, body: '' };
  }
}

/** A small body that expands to four gigabytes (entity expansion). */
function entityBomb(): string {
  const levels = Array.from({ length: 9 }, (_, level) => `<!ENTITY e${level + 1} "${`&e${level};`.repeat(10)}">`);
  return `<!DOCTYPE response [<!ENTITY e0 "bomb">${levels.join('')}]><response><returncode>SUCCESS</returncode><message>&e9;</message></response>`;
}

function xml(body: string): Answer {
  return { status: 200, headers: { 'content-type': 'text/xml;charset=utf-8' }, body };
}

function page(status: number, body: string): Answer {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body };
}

function errorPage(status: number): string {
  return `<!DOCTYPE html><html><head><title>${status}</title></head><body><h1>This is not an API response</h1><hr>nginx</body></html>`;
}
