import type { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { UploadLinks } from '#features/documents';
import type { Team } from '#features/team';
import { DEFAULT_TAG, type Principal } from '#platform/kernel';

/** Who calls, and from where. */
export interface Caller {
  readonly principal: Principal;
  /** The tag that the connection names (header `x-sm-project`). Null: none. */
  readonly project: string | null;
  /** Address under which the caller reaches this server, without a slash at its end. */
  readonly origin: string;
}

/** What tools, prompts and resources are made of. */
export interface Services {
  readonly commands: CommandBus;
  readonly queries: QueryBus;
  readonly team: Team;
  readonly uploads: UploadLinks;
}

/** The tag that a call names: in its argument, else by its connection. Undefined: neither names one. */
export const namedTag = ({ project }: Pick<Caller, 'project'>, argument: string | undefined): string | undefined =>
  argument ?? project ?? undefined;

/** The tags that a call reads: the named one, else the default one, or those of a key with limited tags. */
export function readTags(caller: Omit<Caller, 'origin'>, argument?: string): readonly string[] {
  const named = namedTag(caller, argument);
  if (named !== undefined) return [named];
  const { tags } = caller.principal;
  return tags === 'all' ? [DEFAULT_TAG] : tags;
}

/** The one tag that a call reads. Null: it reads several. */
export function readTag(caller: Omit<Caller, 'origin'>, argument?: string): string | null {
  const [tag = null, ...others] = readTags(caller, argument);
  return others.length === 0 ? tag : null;
}

/** The tag that a call writes: the named one, else the default one, or the only one that the key may write. Null: it may write several. */
export function writtenTag(caller: Omit<Caller, 'origin'>, argument?: string): string | null {
  const named = namedTag(caller, argument);
  if (named !== undefined) return named;
  const { writableTags } = caller.principal;
  if (writableTags === 'all') return DEFAULT_TAG;
  return writableTags.length === 1 ? (writableTags[0] as string) : null;
}
