/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';

/** Text with inline code between backticks. */
export function Prose({ text }: { text: string }) {
  return <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>;
}

export function Codes({ words }: { words: readonly string[] }) {
  return <>{words.flatMap((word, index) => [...(index > 0 ? [' '] : []), <code key={word}>{word}</code>])}</>;
}

export function Table({ heads, children }: { heads: readonly string[]; children: ComponentChildren }) {
  return (
    <div class="wide" tabIndex={0} role="region" aria-label={`Table: ${heads.join(', ')}`}>
      <table>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
