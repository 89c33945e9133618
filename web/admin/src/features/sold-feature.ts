export interface SoldFeature {
  readonly id: string;
  readonly tag: string;
  readonly name: string;
  readonly value: string;
  readonly resettable_period: number;
  readonly resettable_interval: string;
  readonly package_feature_id?: string | null;
  readonly usage?: {
    readonly data: { readonly used: number; readonly handed_down: number; readonly valid_until: string | null };
  };
}
