import type { GroupEmbedder, Space } from './group-embedder.ts';
import type { SpaceGroup } from './groups.ts';

export interface ReadySpace extends Space {
  readonly isServing: boolean;
}

/** The models of all groups. */
export class SpaceEmbedders {
  readonly groups: readonly GroupEmbedder[];

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

  /** Spaces whose models are ready. A coming one only beside its serving one. */
  ready(): readonly ReadySpace[] {
    return this.groups.flatMap(({ serving, coming }) => {
      if (!isReady(serving)) return [];
      const served = { ...serving, isServing: true };
      return coming !== null && isReady(coming) ? [served, { ...coming, isServing: false }] : [served];
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.groups.map((group) => group.close()));
  }
}

const isReady = ({ embedder }: Space): boolean => embedder.status().state === 'ready';
