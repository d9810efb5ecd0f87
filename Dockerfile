# One image for every role: MNEME_ROLE is all (default), api or worker.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY tools ./tools
RUN npm install
COPY . .
RUN npm run build && npm prune --omit=dev
# The image provides Node.
RUN rm -rf node_modules/node-linux-* node_modules/.bin/node

FROM node:24-slim
# Reads recordings.
RUN apt-get update && apt-get install -y --no-install-recommends ffmpeg && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production \
    MNEME_HOST=0.0.0.0 \
    MNEME_DATA=/data
WORKDIR /app
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/bin ./bin
COPY --from=build /app/dist ./dist
RUN install -d -o node -g node -m 700 /data && ln -s /app/bin/mneme.js /usr/local/bin/mneme
USER node
VOLUME /data
EXPOSE 6767
# Every role answers health checks on MNEME_PORT.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "const { MNEME_PORT: port } = process.env; fetch('http://127.0.0.1:' + (Number(port) || 6767) + '/v3/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["bin/serve.sh"]
