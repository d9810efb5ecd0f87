import { Controller, Get, Inject } from '@nestjs/common';
import type { Caller } from '#kernel';
import { HEALTH_REPORTER, type HealthReporter } from '#runtime/start';
import { From } from '../access/caller.ts';
import { Public, Requires } from '../access/permission.ts';
import { Documented } from '../openapi/documented.ts';
import { HEALTH, SERVICE, SESSION } from '../openapi/response-schemas.ts';
import { HTTP_OPTIONS, type HttpOptions } from '../options.ts';
import { session } from '../responses.ts';

@Controller()
export class MetaController {
  private readonly options: HttpOptions;
  private readonly health: HealthReporter;

  constructor(@Inject(HTTP_OPTIONS) options: HttpOptions, @Inject(HEALTH_REPORTER) health: HealthReporter) {
    this.options = options;
    this.health = health;
  }

  @Get()
  @Public()
  @Documented({ summary: 'What answers here', answer: SERVICE, refuses: [] })
  service() {
    return { status: 'ok', name: this.options.name, version: this.options.version };
  }

  @Get('v3/health')
  @Public()
  @Documented({ summary: 'How the server is doing', answer: HEALTH, refuses: [] })
  report() {
    return this.health.report();
  }

  @Get('v3/session')
  @Requires('read')
  @Documented({ summary: 'Whose key this is', answer: SESSION, refuses: [] })
  session(@From() caller: Caller) {
    return session(caller);
  }
}
