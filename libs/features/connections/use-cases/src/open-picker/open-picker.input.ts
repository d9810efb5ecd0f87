import { IsText, ShownBy } from '#platform/input';

/** Where the picker leads to. */
@ShownBy({ 'Back to a program': { redirectUrl: 'http://127.0.0.1:8123/done' } })
export class OpenPickerInput {
  /** Where the browser goes when something was chosen, with `connectionId`. Default: it stays. */
  @IsText({ min: 1, max: 500 })
  redirectUrl?: string;
}
