import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { exceedsTagLimits } from '#features/documents';
import { invalid } from '#platform/input';
import {
  actorOf,
  DEFAULT_TAG,
  err,
  type JsonObject,
  type Metadata,
  mayCall,
  newId,
  ok,
  type Result,
  writeScope,
} from '#platform/kernel';
import type { ReadSetup, SetupRefusal } from '#ports/connectors';
import { requestCause } from '#ports/event-store';
import { Departures } from '../departures.ts';
import { NewConnections } from '../new-connections.ts';
import { Providers } from '../providers.ts';
import { CreateConnection, type CreatedConnection, type CreateRefusal } from './create-connection.command.ts';

@CommandHandler(CreateConnection)
export class CreateConnectionHandler implements ICommandHandler<CreateConnection> {
  constructor(
    private readonly connections: NewConnections,
    private readonly providers: Providers,
    private readonly departures: Departures,
  ) {}

  async execute({
    principal,
    connection: { provider, tags: named, metadata, documentLimit, filters, redirectUrl },
  }: CreateConnection): Promise<Result<CreatedConnection, CreateRefusal>> {
    const connector = this.providers.usable(provider);
    if (connector.isOfOperator && !mayCall(principal, 'admin')) return err('forbidden');
    const tags = named.length === 0 ? [DEFAULT_TAG] : named;
    if (exceedsTagLimits(tags)) return err('too_many_tags');
    const { organization } = principal;
    const read = connector.readSetup((metadata ?? {}) as JsonObject, organization);
    if (!read.ok) throw refusalOf(read.error);
    const { setup, secrets } = read.value;
    const id = newId();
    const payload = { id, provider, setup, metadata: shown(metadata, read.value), documentLimit, filters };
    const actor = actorOf(principal);
    if (connector.authorization !== undefined) {
      const begun = { ...payload, organization, actor, tags, redirectUrl, filters: { ...filters } };
      return ok({ id, departure: await this.departures.begin(connector.authorization, begun) });
    }
    const created = await this.connections.create(secrets, writeScope(principal), requestCause(actor), tags, payload);
    if (created.ok) return ok({ id, departure: null });
    return err(created.error === 'forbidden' ? 'forbidden' : 'connection_not_found');
  }
}

/** As of the other rules of input: the message begins with the name of the field. */
function refusalOf({ field, message }: SetupRefusal): Error {
  const name = `metadata.${field}`;
  return invalid(name, `${name} ${message}`);
}

/** What was sent, without what is secret. */
function shown(metadata: Metadata | null, { secrets }: ReadSetup): Metadata | null {
  if (metadata === null) return null;
  const values = new Set(Object.values(secrets));
  return Object.fromEntries(
    Object.entries(metadata).filter(([name, value]) => !Object.hasOwn(secrets, name) && !values.has(String(value))),
  );
}
