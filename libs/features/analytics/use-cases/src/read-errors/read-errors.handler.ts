import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { ANALYTICS, type Analytics } from '#ports/analytics';
import { ReadErrors, type RequestErrors } from './read-errors.query.ts';
import { summarizeErrors } from './summarize-errors.ts';

@QueryHandler(ReadErrors)
export class ReadErrorsHandler implements IQueryHandler<ReadErrors> {
  constructor(@Inject(ANALYTICS) private readonly analytics: Analytics) {}

  async execute({ principal, span, page }: ReadErrors): Promise<RequestErrors> {
    const summary = summarizeErrors(await this.analytics.periods(principal.organization, span));
    const first = (page.page - 1) * page.limit;
    return { ...summary, types: summary.types.slice(first, first + page.limit), totalTypes: summary.types.length };
  }
}
