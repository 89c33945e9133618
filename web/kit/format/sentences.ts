import { withFeatureNames } from './feature-values.ts';
import { labelOf } from './label.ts';

/** Replaces member names in messages of the API by the labels of the screen. */
export function withFieldLabels(sentence: string, labels: Readonly<Record<string, string>> = {}): string {
  const label = (words: string) => {
    const name = words.replaceAll(' ', '_');
    // An entry of a list has the label of the list.
    const displayed = name.replace(/(?:\.\d+)+$/, '');
    return labels[displayed] ?? labelOf(displayed.split('.').at(-1) ?? displayed);
  };
  const labeled = sentence
    .replaceAll(/\bThe ([a-z][a-z0-9_. ]*?) field\b/g, (_, words: string) => `“${label(words)}”`)
    .replaceAll(/\bthe ((?:(?!the )[a-z0-9_. ])+?) field\b/g, (_, words: string) => `“${label(words)}”`)
    .replaceAll(/\b([Tt])he setting ([a-z]+(?:_[a-z]+)+)\b/g, (_, first: string, name: string) => {
      return `${first}he setting “${label(name)}”`;
    })
    .replaceAll(/\b(when|unless|if) ([a-z][a-z0-9 ]*?) is true\b/g, (_, word: string, name: string) => {
      return `${word} “${label(name)}” is on`;
    })
    .replaceAll(/\bcannot be null\b/g, 'cannot be empty');
  return withFeatureNames(labeled);
}
