import type { Dependencies } from '../../../dependencies.ts';
import type { Finding } from '../../../module.ts';
import { counted } from '../../../platform/text/counted.ts';
import { countFailingOrders, readStreamFigures } from './figures.ts';

/** Reports running broadcasts, outputs that fail, and orders that media servers have not carried out. */
export async function checkStreams({ db }: Dependencies): Promise<Finding[]> {
  const subject = 'streams';
  const [figures, orders] = await Promise.all([readStreamFigures(db), countFailingOrders(db)]);
  const { live, reconnecting, viewers, failedOutputs } = figures;
  const findings: Finding[] = [];
  if (live + reconnecting > 0)
    findings.push({
      subject,
      state: 'ok',
      text: `${live} live, ${reconnecting} waiting for an encoder, ${counted(viewers, 'viewer')}`,
    });
  if (failedOutputs > 0)
    findings.push({
      subject,
      state: 'warning',
      text: `${counted(failedOutputs, 'output')} of live rooms without a picture`,
    });
  for (const { providerName, count } of orders)
    findings.push({
      subject,
      state: 'warning',
      text: `${providerName}: has not accepted ${counted(count, 'change')} of streams yet, Foyer tries again`,
    });
  return findings;
}
