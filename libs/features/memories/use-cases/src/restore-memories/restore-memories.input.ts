import { IsContainerTag, IsNameList, Required, ShownBy } from '#platform/input';
import type { Principal } from '#platform/kernel';
import { RestoreMemories } from './restore-memories.command.ts';

const MAX_IDS = 500;

/** Memories to restore. */
@ShownBy({ 'By ids': { containerTag: 'user-mara', ids: ['7Qm0000000000000000000'] } })
export class RestoreMemoriesInput {
  /** The tag of the memories. */
  @Required()
  @IsContainerTag()
  containerTag!: string;

  /** Of any versions. Those that no memory of the tag has are skipped. */
  @Required()
  @IsNameList(MAX_IDS)
  ids!: string[];
}

export const restoreMemories = (principal: Principal, body: RestoreMemoriesInput): RestoreMemories =>
  new RestoreMemories(principal, body.containerTag, body.ids);
