import { Controller, Get, Inject } from '@nestjs/common';
import { HEALTH_REPORTER, type HealthReporter } from '#composition/startup';
import { OrganizationQuotas } from '#features/quotas';
import { KnownSessions } from '#features/sessions';
import { Team } from '#features/team';
import type { Principal } from '#platform/kernel';
import { Public, Requires } from '../access/permission.ts';
import { CurrentPrincipal } from '../access/principal.ts';
import { MembershipsOf } from '../account/memberships.ts';
import { Documented } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import { HTTP_OPTIONS, type HttpOptions } from '../options.ts';
import { HealthReport, Service, Session, session } from './meta.responses.ts';

@Controller()
@InSection('Server')
export class MetaController {
  constructor(
    @Inject(HTTP_OPTIONS) private readonly options: HttpOptions,
    @Inject(HEALTH_REPORTER) private readonly health: HealthReporter,
    private readonly team: Team,
    private readonly sessions: KnownSessions,
    private readonly memberships: MembershipsOf,
    private readonly quotas: OrganizationQuotas,
  ) {}

  @Get()
  @Public()
  @Documented({
    id: 'getService',
    summary: 'Read name and version of the server',
    description: 'Answers whenever the server runs.',
    answer: Service,
    refuses: [],
  })
  service(): Service {
    return { status: 'ok', name: this.options.name, version: this.options.version };
  }

  @Get('v3/health')
  @Public()
  @Documented({
    id: 'getHealth',
    summary: 'Read the health of the server',
    description: 'The status is 200 while the server runs; the body says what works.',
    answer: HealthReport,
    refuses: [],
  })
  report() {
    return this.health.report();
  }

  @Get('v3/session')
  @Requires('read')
  @Documented({
    id: 'getSession',
    summary: 'Read owner and permissions of the key or the session',
    description:
      'What the key or the session of the request is for, and if it reaches all tags what is used of the quotas of the organization.',
    answer: Session,
    refuses: [],
  })
  async session(@CurrentPrincipal() principal: Principal) {
    // They count what is in all tags.
    const usage = principal.tags === 'all' ? await this.quotas.usage(principal.organization) : null;
    const state = this.sessions.stateOf(principal.session ?? '');
    const of = state.status === 'open' ? state.session : null;
    const memberships = of?.way === 'oidc' ? await this.memberships.read(principal) : null;
    return session(principal, { member: this.team.memberOf(principal), usage, of, memberships });
  }
}
