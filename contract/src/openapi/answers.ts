import type { Answer, Operation, Reference } from './document.ts';

type Paths = Record<string, Record<string, Operation>>;

/** Moves error responses that several operations share to the components, so that the document contains them once. */
export function shareAnswers(paths: Paths): { paths: Paths; responses: Record<string, Answer> } {
  const uses = new Map<string, number>();
  for (const answer of answersOf(paths)) {
    const text = JSON.stringify(answer);
    uses.set(text, (uses.get(text) ?? 0) + 1);
  }
  const responses: Record<string, Answer> = {};
  function shareIfRepeated(status: string, answer: Answer | Reference): Answer | Reference {
    if ('$ref' in answer || !answer['x-codes'] || (uses.get(JSON.stringify(answer)) ?? 0) < 2) return answer;
    const name = nameOf(status, answer);
    const component = (responses[name] ??= answer);
    if (JSON.stringify(component) !== JSON.stringify(answer)) return answer;
    return { $ref: `#/components/responses/${name}` };
  }
  const sharedPaths = mapValues(paths, (verbs) =>
    mapValues(verbs, (operation) => ({
      ...operation,
      responses: mapValues(operation.responses, (answer, status) => shareIfRepeated(status, answer)),
    })),
  );
  return { paths: sharedPaths, responses: Object.fromEntries(Object.entries(responses).sort(byName)) };
}

/** The status, the codes, and whether it is an OAuth error. */
function nameOf(status: string, answer: Answer): string {
  const schema = answer.content?.['application/json']?.schema.$ref ?? '';
  return [status, ...(answer['x-codes'] ?? []), ...(schema.endsWith('/ErrorBody') ? [] : ['oauth'])].join('.');
}

function answersOf(paths: Paths): (Answer | Reference)[] {
  return Object.values(paths).flatMap((verbs) =>
    Object.values(verbs).flatMap(({ responses }) => Object.values(responses)),
  );
}

function byName([one]: [string, unknown], [other]: [string, unknown]): number {
  return one < other ? -1 : 1;
}

function mapValues<Value, Mapped>(
  values: Readonly<Record<string, Value>>,
  map: (value: Value, name: string) => Mapped,
): Record<string, Mapped> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value, name)]));
}
