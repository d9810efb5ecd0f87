import { IsPathList, IsText, Required, ShownBy } from '#platform/input';

/** What a person has chosen. */
@ShownBy({ 'A folder': { link: '0123456789abcdefghijkl.x', ids: ['1a2b3c'] } })
export class AnswerChoicesInput {
  /** What stands behind "#" in the address of the picker. */
  @Required()
  @IsText({ min: 1, max: 16_000 })
  link!: string;

  /** Ids of everything that is chosen, at most 200. */
  @Required()
  @IsPathList()
  ids!: string[];
}
