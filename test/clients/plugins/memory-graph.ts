import { body, type Send } from './plugin.ts';

export interface GraphDocument {
  readonly id: string;
  readonly title: string | null;
  readonly summary: string | null;
  readonly documentType: string;
  readonly memories: readonly {
    readonly id: string;
    readonly memory: string;
    readonly isForgotten: boolean;
    readonly isLatest: boolean;
  }[];
}

/** Returns what memory-graph 0.2.3 draws of a container. */
export async function drawnGraph(send: Send, containerTag: string): Promise<readonly GraphDocument[]> {
  const asked = { page: 1, limit: 500, sort: 'createdAt', order: 'desc', containerTags: [containerTag] };
  return body(await send<{ documents: readonly GraphDocument[] }>('POST', '/v3/documents/documents', asked)).documents;
}
