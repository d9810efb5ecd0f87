import type { ConnectionDocumentsContext } from '#composition/startup';
import type { ConnectionName } from '#features/connections';
import type { ConnectionDocuments } from '#features/connections/sync';
import { AddDocument, DeleteDocument, DocumentCommands, UpdateDocument } from '#features/documents/use-cases';
import { type OrganizationId, ok, type Principal } from '#platform/kernel';
import { CurrentViews } from '#read-side/views';

/** The documents of connections, by the same use cases as those of callers. */
export function connectionDocumentsOf({
  parts,
  admission,
  deletions,
  clock,
}: ConnectionDocumentsContext): ConnectionDocuments {
  const { storage, views, documents, texts, erasure, deletion } = parts;
  const commands = new DocumentCommands({
    ...{ documents, texts, erasure, deletion, deletions, admission, clock, blobs: storage.blobs },
    views: new CurrentViews(views.reader, views.progress, storage.store),
  });
  return {
    async put(connection, { customId, tags, source, file, filepath, metadata, title }) {
      const principal = principalOf(connection);
      const { type, ...sent } = file;
      const content = { ...sent, fileType: type, mimeType: null };
      const details = { customId, tags, metadata, filepath, taskType: 'memory', documentDate: null, source } as const;
      const added = await commands.add(new AddDocument(principal, { content, ...details }, null, false));
      if (!added.ok || added.value.isNew) return added;
      const { id } = added.value;
      const described = await commands.update(updateOf(principal, id, { filepath, metadata, title }));
      return described.ok ? ok({ id }) : described;
    },
    describe: (connection, id, details) => commands.update(updateOf(principalOf(connection), id, details)),
    remove: (connection, id) => commands.delete(new DeleteDocument(principalOf(connection), id)),
  };
}

const principalOf = ({ organization, id }: ConnectionName): Principal => ({
  ...{ organization: organization as OrganizationId, keyId: id, connection: id, role: 'member' },
  ...{ tags: 'all', writableTags: 'all' },
});

function updateOf(
  principal: Principal,
  id: string,
  { filepath, metadata, title: fileName }: Parameters<ConnectionDocuments['describe']>[2],
): UpdateDocument {
  const kept = { content: null, customId: null, tags: null, taskType: null, documentDate: null };
  return new UpdateDocument(principal, id, { ...kept, filepath, metadata, fileName });
}
