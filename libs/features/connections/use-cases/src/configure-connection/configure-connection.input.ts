import { IsAnyJson, invalid, isObject, Required, ShownBy } from '#platform/input';
import type { Principal } from '#platform/kernel';
import { ConfigureConnection } from './configure-connection.command.ts';

/** Of one request. */
const MOST = 200;

/** What a connection reads. */
@ShownBy({ 'A folder': { resources: [{ id: '1a2b3c' }] } })
export class ConfigureConnectionInput {
  /** At most 200, as `GET /v3/connections/{id}/resources` lists them; only `id` counts. */
  @Required()
  @IsAnyJson(null)
  resources!: object[];
}

/** @throws InputError */
export function configureConnection(
  principal: Principal,
  id: string,
  { resources }: ConfigureConnectionInput,
): ConfigureConnection {
  if (!Array.isArray(resources) || resources.length > MOST) {
    throw invalid('resources', `resources must be a list of at most ${MOST} objects`);
  }
  const ids = resources.map((one: unknown) => (isObject(one) && typeof one.id === 'string' ? one.id : ''));
  if (ids.includes('')) throw invalid('resources', 'resources must be objects with an id');
  return new ConfigureConnection(principal, id, ids);
}
