import { systemScope } from '#platform/kernel';
import { decideAdd } from '../../libs/features/documents/use-cases/src/add-document/decide.ts';
import { ORGANIZATION, type Pipeline } from './pipeline.ts';

/** Adds a document whose content is behind a URL. */
export async function addPage({ documents }: Pipeline, id: string, url: string): Promise<void> {
  const decided = decideAdd({
    ...{ id, customId: null, content: { page: url }, type: 'webpage', source: 'api', url, metadata: null },
    ...{ filepath: null, taskType: 'memory', documentDate: null, sizes: {} },
  });
  const cause = { actor: 'key:test', correlationId: id, causationId: null };
  await documents.create(systemScope(ORGANIZATION), id, cause, decided, ['t']);
}
