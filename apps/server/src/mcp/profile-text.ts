import { GetContextInput, getContext, type Profile } from '#features/search/use-cases';
import { type Caller, namedTag, type Services } from './caller.ts';
import { paragraphs, section } from './stored-text.ts';

/** Of a profile in an answer, roughly. */
const MAX_TOKENS = 4_000;
const NOTHING: Profile = { static: [], dynamic: [] };

/** Reads what of a profile is worth so many tokens: each fact on one line, none twice. @throws ForbiddenError */
export async function readProfile(
  { queries }: Pick<Services, 'queries'>,
  caller: Omit<Caller, 'origin'>,
  {
    containerTag,
    includeRecent = true,
  }: { readonly containerTag?: string | undefined; readonly includeRecent?: boolean },
): Promise<Profile> {
  const tag = namedTag(caller, containerTag);
  // An estimate needs no table of tokens.
  const wanted = { maxTokens: MAX_TOKENS, tokenizer: 'estimate' as const, includeRecent };
  const input = Object.assign(new GetContextInput(), { ...wanted, ...(tag !== undefined && { containerTag: tag }) });
  const { profile } = await queries.execute(getContext(caller.principal, input));
  return profile ?? NOTHING;
}

/** Empty if nothing is known. */
export const profileText = (profile: Profile): string =>
  paragraphs(section('Stable preferences', profile.static), section('Recent activity', profile.dynamic));
