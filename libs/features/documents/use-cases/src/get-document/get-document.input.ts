import { IsPastTime } from '#platform/input';
import { PickedTagInput } from '../picked-tag.input.ts';

export class GetDocumentInput extends PickedTagInput {
  /** A time that is not in the future: the document as it was then. Default: as it is now. */
  @IsPastTime()
  asOf?: string;
}
