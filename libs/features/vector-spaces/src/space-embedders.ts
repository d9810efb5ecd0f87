import type { GroupEmbedder, Space } from './group-embedder.ts';
import { DEFAULT_GROUP, LANGUAGES_GROUP, type SpaceGroup } from './groups.ts';

export interface ReadySpace extends Space {
  readonly isServing: boolean;
}

/** The models of all groups. */
export class SpaceEmbedders {
  readonly groups: readonly GroupEmbedder[];
  /** Whether documents may have vectors in the space of other languages: it was selected. */
  usesLanguages = false;

  constructor(groups: readonly GroupEmbedder[]) {
    this.groups = groups;
  }

  /** @throws RangeError if the group has no models here */
  of({ name }: SpaceGroup): GroupEmbedder {
    const found = this.groups.find(({ group }) => group.name === name);
    if (found === undefined) throw new RangeError(`no models of the group ${name}`);
    return found;
  }

  /** Names of the serving and the coming spaces. */
  names(): readonly string[] {
    return this.groups.flatMap(({ serving, coming }) => [serving.name, ...(coming ? [coming.name] : [])]);
  }

  /** Spaces of a group, by default that of English, whose models are ready. A coming one only beside its serving one. */
  ready(group = DEFAULT_GROUP): readonly ReadySpace[] {
    const { serving, coming } = this.of(group);
    if (!isReady(serving)) return [];
    const served = { ...serving, isServing: true };
    return coming !== null && isReady(coming) ? [served, { ...coming, isServing: false }] : [served];
  }

  /**
   * Returns the spaces of documents in other languages: the serving one, and while the space changes also the new one. Their
   * models are loaded when they are used. Empty: these documents are in the space of all others.
   */
  forLanguages(): readonly Space[] {
    const group = this.groups.find(({ group: { name } }) => name === LANGUAGES_GROUP.name);
    const spaces = group === undefined ? [] : [group.serving, ...(group.coming === null ? [] : [group.coming])];
    return spaces.filter(({ embedder }) => embedder.status().state !== 'off');
  }

  async close(): Promise<void> {
    await Promise.all(this.groups.map((group) => group.close()));
  }
}

const isReady = ({ embedder }: Space): boolean => embedder.status().state === 'ready';
