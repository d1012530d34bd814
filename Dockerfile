# syntax=docker/dockerfile:1
# One image for every service; the command says which one runs. Node 24 is a long-term support release.
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /build
ENV CI=1
COPY . .
RUN --mount=type=cache,target=/root/.local/share/pnpm/store \
    npx --yes "$(node -p 'require("./package.json").packageManager')" install --frozen-lockfile \
 && npm run --silent build \
 && node docker/assemble.mjs /app

FROM ${NODE_IMAGE}
WORKDIR /app
ENV NODE_ENV=production \
    NODE_OPTIONS=--enable-source-maps \
    HOST=0.0.0.0 \
    PORT=8080 \
    METRICS_PORT=9090
# Owned by root: the services cannot change their own code, also where the file system is writable.
COPY --from=build /app .
USER node
EXPOSE 8080 9090
# Every service answers on its metrics port, also the ones without an API.
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s --retries=6 \
  CMD ["node", "docker/health.mjs"]
CMD ["node", "services/management/bundle/main.js"]
