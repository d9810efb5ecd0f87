import { Injectable } from '@nestjs/common';
import { documentStream } from '#features/documents';
import type { VersionView } from '#features/memories';
import type { OrganizationId } from '#platform/kernel';
import type { EventStore, Position } from '#ports/event-store';
import { CurrentViews, type ViewsProgress } from '#read-side/views';

/** How long a request waits for vectors at the most. Milliseconds. */
const VECTORS_MS = 1_500;

/** Vectors are made, or cannot be made. */
const ENDS = ['UnitsEmbedded', 'ProcessingFailed'];

type Version = Pick<VersionView, 'rootId' | 'number'>;

/** Waits until searches find the versions that a request has recorded. */
@Injectable()
export class MemoryVisibility {
  /** @param isModelReady without a model, vectors follow later */
  constructor(
    private readonly store: Pick<EventStore, 'head' | 'subscribe'>,
    private readonly views: CurrentViews,
    private readonly progress: ViewsProgress,
    private readonly isModelReady: () => boolean,
  ) {}

  /** To be called before the request records anything. */
  head(): Promise<Position | null> {
    return this.store.head();
  }

  /** Resolves when searches find the memories by words and, if the vectors are made soon, by meaning. */
  async reached(organization: OrganizationId, versions: readonly Version[], before: Position | null): Promise<void> {
    await Promise.all([this.views.read(), this.isModelReady() && this.#embedded(organization, versions, before)]);
  }

  async #embedded(organization: OrganizationId, versions: readonly Version[], after: Position | null): Promise<void> {
    const until = Date.now() + VECTORS_MS;
    const waiting = new Map(versions.map(({ rootId, number }) => [documentStream(organization, rootId), number]));
    const filter = { types: ENDS, organization };
    const signal = AbortSignal.timeout(VECTORS_MS);
    let last: Position | null = null;
    for await (const { events } of this.store.subscribe({ after, filter, envelopesOnly: true, signal })) {
      for (const { stream, position, envelope } of events) {
        if (waiting.get(stream) !== envelope.contentVersion) continue;
        waiting.delete(stream);
        last = position;
      }
      if (waiting.size === 0) break;
    }
    if (last !== null) await this.progress.reached(last, Math.max(until - Date.now(), 0));
  }
}
