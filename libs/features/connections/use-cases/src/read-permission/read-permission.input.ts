import { IsText, Required, ShownBy } from '#platform/input';

/** What the page is about. */
@ShownBy({ 'By the address of the page': { request: '0123456789abcdefghijkl.x' } })
export class ReadPermissionInput {
  /** What stands behind "#" in the address of the page. */
  @Required()
  @IsText({ min: 1, max: 16_000 })
  request!: string;
}
