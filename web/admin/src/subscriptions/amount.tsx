import { intervalText } from '../../../kit/format/label.ts';
import { formatMoney } from '../../../kit/format/money.ts';

/** "€49.00 every month". */
export function Amount(props: {
  readonly price: number;
  readonly currency: string;
  readonly periodicity: number;
  readonly periodicity_type: string;
}) {
  const { price, currency, periodicity, periodicity_type: interval } = props;
  return (
    <span>
      {formatMoney(price, currency)} every {intervalText(periodicity, interval)}
    </span>
  );
}
