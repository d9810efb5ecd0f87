import { CONNECTIONS } from '#features/connections';
import { systemScope } from '#platform/kernel';
import type { ViewsReader } from '#read-side/views';

/** More connections than this in one organization are not expected. */
const MOST = 10_000;

/** The ids of the connections of an organization, as the views show them, the newest first. */
export async function connectionsOf(
  reader: Pick<ViewsReader, 'rows'>,
  organization: string,
): Promise<readonly string[]> {
  const { rows } = await reader.rows({
    ...{ model: CONNECTIONS, scope: systemScope(organization), equals: {} },
    ...{ sort: 'created_at', order: 'desc', offset: 0, limit: MOST },
  });
  return rows.map(({ values }) => values.connection as string);
}
