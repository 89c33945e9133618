import { Refusal, sendRefusal } from '../http/answer.ts';
import { openRoute, type Route } from '../http/route.ts';
import { allowPlayers } from './send-file.ts';

/** A route whose errors players on other sites can read, too (CORS). */
export function playerRoute(method: string, path: string, handle: Route['handle']): Route {
  return openRoute(method, path, async (call) => {
    allowPlayers(call.response);
    try {
      await handle(call);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      sendRefusal(call.response, error);
    }
  });
}
