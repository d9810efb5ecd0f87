import { IsContainerTag, IsWholeNumber } from '#platform/input';

/** Arguments of a tool that lists what a space holds. */
export class PageOfSpace {
  @IsWholeNumber(1, 1_000_000)
  page = 1;

  @IsWholeNumber(1, 50)
  limit = 10;

  @IsContainerTag()
  containerTag?: string;
}
