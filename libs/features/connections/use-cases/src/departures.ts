import { Inject, Injectable } from '@nestjs/common';
import type { BegunConnection } from '#features/connections/authorization';
import { invalid } from '#platform/input';
import { randomSecret } from '#platform/kernel';
import type { Authorization } from '#ports/connectors';
import { CONNECTION_FLOWS, type Flows } from './flows.ts';

/** The way of a person who permits a connection. */
export interface Departure {
  /** Where the person goes. */
  readonly authLink: string;
  /** Where the person comes back to. Null: stays on a page of this server. */
  readonly redirectsTo: string | null;
}

/** Sends people to providers. Nothing is stored before they come back and confirm. */
@Injectable()
export class Departures {
  constructor(@Inject(CONNECTION_FLOWS) private readonly flows: Flows) {}

  /** @throws InputError for an address that people may not be sent back to */
  async begin(authorization: Authorization, begun: Omit<BegunConnection, 'until' | 'verifier'>): Promise<Departure> {
    const { flows } = this;
    // The settings of such a provider need a public address.
    if (flows === null) throw new Error('MNEME_PUBLIC_URL is not set');
    const { provider, redirectUrl } = begun;
    if (redirectUrl !== null && !flows.mayReturnTo(redirectUrl)) {
      throw invalid('redirectUrl', 'redirectUrl must be an address of MNEME_REDIRECTS, or of a program on loopback');
    }
    const verifier = randomSecret();
    const state = await flows.begin({ ...begun, verifier });
    if (!state.ok) throw invalid('metadata', 'metadata, tags, filters and redirectUrl are too long together');
    const authLink = await authorization.addressOf({
      ...{ state: state.value, verifier, redirectUri: flows.callbackOf(provider) },
    });
    return { authLink, redirectsTo: redirectUrl };
  }
}
