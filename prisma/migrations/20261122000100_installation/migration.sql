-- Which installation this database is: it claims its Redis by this name, once and for good.
CREATE TABLE "installation" (
    "is_only" BOOLEAN NOT NULL DEFAULT true,
    "id" TEXT NOT NULL,
    CONSTRAINT "installation_pkey" PRIMARY KEY ("is_only"),
    CONSTRAINT "installation_is_only_check" CHECK ("is_only")
);
INSERT INTO "installation" ("id") VALUES ('inst_' || replace(gen_random_uuid()::text, '-', ''));
