import type { Config } from '#platform/config';
import { openGuardedFetch } from '#platform/fetch';
import { CONNECTORS, type Connector, type ConnectorTools } from '#ports/connectors';

/** Kinds of sources by their names. */
export type Connectors = ReadonlyMap<string, Connector>;

/** All kinds of sources, whether the settings let them be used or not. */
export function connectorsOf(config: Config, { clock, logger }: Pick<ConnectorTools, 'clock' | 'logger'>): Connectors {
  const fetch = openGuardedFetch({
    ...{ allow: config.fetchAllow, loopback: config.fetchLoopback === 'on', proxy: config.fetchProxy },
  });
  const all = CONNECTORS.map((connector) => connector({ config, fetch, clock, logger }));
  return new Map(all.map((connector) => [connector.provider, connector]));
}
