import { IsContainerTags, IsFlag, IsOneOf, IsText, invalid, namedTags, Required, ShownBy } from '#platform/input';
import type { Principal } from '#platform/kernel';
import { AnswerAuthorization } from './answer-authorization.command.ts';

/** Of all tags: they are a part of the code, which is a part of an address. Characters. */
const MAX_TAGS = 2_000;

/** The answer of a person to an application. */
@ShownBy({
  'Permit it to read two spaces': {
    request: '0123456789abcdefghijkl.x',
    allow: true,
    access: 'read',
    containerTags: ['farm', 'travel'],
  },
  'Refuse it': { request: '0123456789abcdefghijkl.x', allow: false },
})
export class AnswerAuthorizationInput {
  /** As `GET /oauth/request` answered. */
  @Required()
  @IsText({ min: 1, max: 16_000 })
  request!: string;

  /** Whether the person permits the access. */
  @Required()
  @IsFlag()
  allow!: boolean;

  /** What is permitted, at most what was asked for. Default: that. */
  @IsOneOf(['read', 'write'])
  access?: 'read' | 'write';

  /** The only tags that are permitted. Default: all that the person reaches. */
  @IsContainerTags()
  containerTags?: string | string[];
}

export function answerAuthorization(principal: Principal, body: AnswerAuthorizationInput): AnswerAuthorization {
  const { request, allow, access = 'write' } = body;
  const tags = namedTags({ containerTags: body.containerTags });
  if (tags.join('').length > MAX_TAGS) {
    throw invalid('containerTags', `containerTags must have at most ${MAX_TAGS} characters together`);
  }
  return new AnswerAuthorization(
    principal,
    request,
    allow ? { access, containerTags: tags.length === 0 ? null : tags } : null,
  );
}
