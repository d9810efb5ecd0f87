import { Controller, Get, Inject } from '@nestjs/common';
import type { Caller } from '#kernel';
import { HEALTH_REPORTER, type HealthReporter } from '#runtime/start';
import { CurrentCaller } from '../access/caller.ts';
import { Public, Requires } from '../access/permission.ts';
import { Documented } from '../openapi/documented.ts';
import { HTTP_OPTIONS, type HttpOptions } from '../options.ts';
import { HealthReport, Service, Session, session } from './meta.responses.ts';

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
  @Documented({ summary: 'Read name and version of the server', answer: Service, refuses: [] })
  service(): Service {
    return { status: 'ok', name: this.options.name, version: this.options.version };
  }

  @Get('v3/health')
  @Public()
  @Documented({ summary: 'Read the health of the server', answer: HealthReport, refuses: [] })
  report() {
    return this.health.report();
  }

  @Get('v3/session')
  @Requires('read')
  @Documented({ summary: 'Read owner and permissions of the key', answer: Session, refuses: [] })
  session(@CurrentCaller() caller: Caller) {
    return session(caller);
  }
}
