import { asDecorator, Rule } from '#platform/input';

const MAX = 2_000;
/** A path with its query. What begins with two slashes is the address of another server. */
const PATH = /^\/(?![/\\])[\x21-\x7e]*$/;

function IsOwnPath(): PropertyDecorator {
  const isPath = (value: unknown) => typeof value === 'string' && value.length <= MAX && PATH.test(value);
  return asDecorator(
    'isOwnPath',
    new Rule({ type: 'string', maxLength: MAX }, (value) =>
      isPath(value) ? null : { says: 'must be a path of this server like /v3/docs, percent-encoded' },
    ),
  );
}

/** How a sign-in begins. */
export class DepartureQuery {
  /** Path of this server to which the browser goes after the sign-in. Default: `/`. */
  @IsOwnPath()
  returnTo?: string;
}
