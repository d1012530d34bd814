import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface CollectedSpan {
  /** Resource attribute `service.name`. */
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  /** Empty or undefined: the span is the first of its trace. */
  parentSpanId?: string;
  attributes: Record<string, string | number>;
  /** Span ids. */
  links: string[];
  isFailed: boolean;
}

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number | string };
}

interface SentSpan extends Omit<CollectedSpan, "service" | "attributes" | "links" | "isFailed"> {
  attributes?: Attribute[];
  links?: { spanId: string }[];
  status?: { code?: number };
}

interface SentTraces {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: SentSpan[] }[] }[];
}

const ERROR_STATUS = 2;

/** An OTLP/HTTP receiver for JSON. */
export interface Collector {
  url: string;
  spans: CollectedSpan[];
  /** The bodies of all requests. */
  received: string[];
  /** Answers no further request. */
  fallSilent(): void;
  close(): void;
}

/** @param port default: any free one */
export async function openCollector(port = 0): Promise<Collector> {
  const server = createServer().listen(port, "127.0.0.1");
  await once(server, "listening");
  const spans: CollectedSpan[] = [];
  const received: string[] = [];
  let isSilent = false;
  server.on("request", (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      received.push(text);
      if (isSilent) return;
      if (request.url === "/v1/traces") spans.push(...spansOf(JSON.parse(text)));
      response.setHeader("Content-Type", "application/json").end("{}");
    });
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    received,
    fallSilent: () => {
      isSilent = true;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function spansOf({ resourceSpans }: SentTraces): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)["service.name"]);
    return scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        service,
        attributes: valuesOf(span.attributes ?? []),
        links: (span.links ?? []).map(({ spanId }) => spanId),
        isFailed: span.status?.code === ERROR_STATUS,
      })),
    );
  });
}

function valuesOf(attributes: Attribute[]): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]),
  );
}
