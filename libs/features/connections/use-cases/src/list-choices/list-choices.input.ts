import { IsText, IsWholeNumber, Required, ShownBy } from '#platform/input';
import { ListChoices } from './list-choices.query.ts';

/** Of one page of the picker. */
const PER_PAGE = 50;

/** What the picker shows. */
@ShownBy({
  'A folder': { link: '0123456789abcdefghijkl.x', parent: '1a2b3c' },
  'What is called so': { link: '0123456789abcdefghijkl.x', search: 'plan' },
})
export class ListChoicesInput {
  /** What stands behind the address of the picker. */
  @Required()
  @IsText({ min: 1, max: 16_000 })
  link!: string;

  /** Id of a folder. Default: the top. */
  @IsText({ min: 1, max: 255 })
  parent?: string;

  /** Words of the name, anywhere in the source. */
  @IsText({ min: 1, max: 200 })
  search?: string;

  /** Number of the page, from 1. */
  @IsWholeNumber(1, 1_000)
  page?: number;
}

export const listChoices = ({ link, parent, search, page = 1 }: ListChoicesInput): ListChoices =>
  new ListChoices(link, { parent: parent ?? null, search: search ?? null, page, perPage: PER_PAGE });
