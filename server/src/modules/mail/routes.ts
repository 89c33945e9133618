import { mailEndpoints as endpoints } from '@foyer/contract/resources/platform/mail.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Route, route, row, rows } from '../../platform/http/input/call.ts';
import { readMailContents } from './mail-contents.ts';
import { requireMail } from './store.ts';
import { mailView, mailWithContentsView } from './transformer.ts';

export function mailRoutes(dependencies: Dependencies): Route[] {
  return [
    route(endpoints.listMails, () => rows(mailView)),
    route(endpoints.readMail, async ({ params, principal, reply }) => {
      reply.header('cache-control', 'no-store');
      const mail = await requireMail(dependencies.db, params.mail_id);
      return row(mailWithContentsView, { ...mail, ...(await readMailContents(dependencies, principal, mail)) });
    }),
  ];
}
