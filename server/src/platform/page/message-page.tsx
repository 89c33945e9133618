/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import type { RoomPageState } from './door-illustration.tsx';
import { type PageFrame, renderPage } from './page-layout.tsx';
import { Front } from './page-parts.tsx';

interface Message {
  readonly title: string;
  readonly sentence: string;
  /** The state that the drawn picture shows. */
  readonly state?: RoomPageState;
  /** The address of an image to show instead of the drawn picture. */
  readonly image?: string | null;
  /** The sentence tells the outcome of a form, for screen readers. */
  readonly isOutcome?: boolean;
  readonly link?: { readonly label: string; readonly href: string } | null;
  readonly note?: ComponentChildren;
}

/** A page with a title and a sentence, without a form. */
export function messagePage(
  chrome: PageFrame,
  { title, sentence, state = 'closed', image = null, isOutcome = false, link = null, note }: Message,
): string {
  return renderPage({
    chrome,
    title,
    content: (
      <Front image={image} state={state}>
        <h1>{title}</h1>
        {isOutcome ? <p role="status">{sentence}</p> : <p>{sentence}</p>}
        {note}
        {link !== null && (
          <a class="button" href={link.href}>
            {link.label}
          </a>
        )}
      </Front>
    ),
  });
}
