import { IsFlag, IsText, Required, ShownBy } from '#platform/input';

/** The answer of a person about a connection. */
@ShownBy({
  'Connect it': { request: '0123456789abcdefghijkl.x', allow: true },
  'Give the permission back': { request: '0123456789abcdefghijkl.x', allow: false },
})
export class AnswerPermissionInput {
  /** What stands behind "#" in the address of the page. */
  @Required()
  @IsText({ min: 1, max: 16_000 })
  request!: string;

  /** Whether the connection is stored. */
  @Required()
  @IsFlag()
  allow!: boolean;
}
