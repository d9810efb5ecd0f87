import { IsText, Required } from '#platform/input';

/** What a provider adds to the address; more is ignored. */
export class ArriveConnectionInput {
  /** As it was sent to the provider. */
  @Required()
  @IsText({ min: 1, max: 8_000 })
  state!: string;

  /** Absent: nothing was permitted. */
  @IsText({ min: 1, max: 4_000 })
  code?: string;

  /** Why nothing was permitted, such as `access_denied`. */
  @IsText({ min: 1, max: 200 })
  error?: string;
}
