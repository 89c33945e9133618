import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Dependencies } from '../../../dependencies.ts';
import type { PageFrame } from '../../../platform/page/page-layout.tsx';
import type { PageTexts } from './texts.ts';

/** The common parts of all pages about rooms. */
export interface RoomChrome extends PageFrame {
  readonly texts: PageTexts;
  /** The time zone of the days that the page shows. */
  readonly timeZone: string;
  /** The path of the rooms, such as `/rooms`. */
  readonly roomsPath: string;
}

export interface RoomHeader {
  readonly name: string;
  readonly customerName: string;
  readonly heroImage: string | null;
  readonly description: string | null;
}

/** What the sign-in form offers to people who forgot their password. */
export interface PasswordHelp {
  /** The page that mails a new password link; null if no mail server is configured. */
  readonly forgottenPasswordHref: string | null;
  /** The customer's support page, if it has one. */
  readonly supportUrl: string | null;
}

/** Answers a request for a page. */
export type PageHandler = (
  dependencies: Dependencies,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<FastifyReply>;
