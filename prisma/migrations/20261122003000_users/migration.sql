-- People who sign in, their sessions, and the accounts they act for.
CREATE TYPE "member_role" AS ENUM ('owner', 'manager', 'viewer');

CREATE TABLE "users" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "email_verified" BOOLEAN NOT NULL DEFAULT false,
    "image" TEXT,
    "is_operator" BOOLEAN NOT NULL DEFAULT false,
    "is_demo" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "users_pkey" PRIMARY KEY ("id"),
    -- Two users never share an address, however it is written.
    CONSTRAINT "users_email_check" CHECK ("email" = lower("email"))
);
CREATE UNIQUE INDEX "users_email_key" ON "users" ("email");

CREATE TABLE "user_sessions" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "token" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "ip_address" TEXT,
    "user_agent" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "user_sessions_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "user_sessions_token_key" ON "user_sessions" ("token");
CREATE INDEX "user_sessions_user_id_idx" ON "user_sessions" ("user_id");
CREATE INDEX "user_sessions_expires_at_idx" ON "user_sessions" ("expires_at");
ALTER TABLE "user_sessions" ADD CONSTRAINT "user_sessions_user_id_fkey"
    FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "user_credentials" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "provider_id" TEXT NOT NULL,
    "password" TEXT,
    "access_token" TEXT,
    "refresh_token" TEXT,
    "id_token" TEXT,
    "access_token_expires_at" TIMESTAMPTZ(3),
    "refresh_token_expires_at" TIMESTAMPTZ(3),
    "scope" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "user_credentials_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "user_credentials_provider_id_account_id_key" ON "user_credentials" ("provider_id", "account_id");
CREATE INDEX "user_credentials_user_id_idx" ON "user_credentials" ("user_id");
ALTER TABLE "user_credentials" ADD CONSTRAINT "user_credentials_user_id_fkey"
    FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "user_verifications" (
    "id" TEXT NOT NULL,
    "identifier" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "user_verifications_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "user_verifications_identifier_idx" ON "user_verifications" ("identifier");

CREATE TABLE "account_members" (
    "account_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "role" "member_role" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "account_members_pkey" PRIMARY KEY ("account_id", "user_id")
);
CREATE INDEX "account_members_user_id_idx" ON "account_members" ("user_id");
ALTER TABLE "account_members" ADD CONSTRAINT "account_members_account_id_fkey"
    FOREIGN KEY ("account_id") REFERENCES "accounts" ("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "account_members" ADD CONSTRAINT "account_members_user_id_fkey"
    FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "account_sessions" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "sha256" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL DEFAULT 1,
    "published_version" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "account_sessions_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "account_sessions_sha256_check" CHECK ("sha256" ~ '^[0-9a-f]{64}$'),
    CONSTRAINT "account_sessions_published_version_check" CHECK ("published_version" BETWEEN 0 AND "version")
);
CREATE UNIQUE INDEX "account_sessions_sha256_key" ON "account_sessions" ("sha256");
CREATE INDEX "account_sessions_user_id_idx" ON "account_sessions" ("user_id");
CREATE INDEX "account_sessions_account_id_idx" ON "account_sessions" ("account_id");
CREATE INDEX "account_sessions_expires_at_idx" ON "account_sessions" ("expires_at");
CREATE INDEX "account_sessions_unpublished_idx" ON "account_sessions" ("id") WHERE "published_version" < "version";
ALTER TABLE "account_sessions" ADD CONSTRAINT "account_sessions_account_id_fkey"
    FOREIGN KEY ("account_id") REFERENCES "accounts" ("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "account_sessions" ADD CONSTRAINT "account_sessions_user_id_fkey"
    FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE RESTRICT ON UPDATE CASCADE;

CREATE TABLE "account_invitations" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "role" "member_role" NOT NULL,
    "note" TEXT,
    "sha256" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "closed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "account_invitations_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "account_invitations_sha256_check" CHECK ("sha256" ~ '^[0-9a-f]{64}$')
);
CREATE UNIQUE INDEX "account_invitations_sha256_key" ON "account_invitations" ("sha256");
CREATE INDEX "account_invitations_account_id_idx" ON "account_invitations" ("account_id");
ALTER TABLE "account_invitations" ADD CONSTRAINT "account_invitations_account_id_fkey"
    FOREIGN KEY ("account_id") REFERENCES "accounts" ("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- The first user who signs up runs the installation. Of two who sign up at once the second waits for the row, and finds it taken.
ALTER TABLE "installation" ADD COLUMN "operator_user_id" TEXT;
CREATE FUNCTION make_first_user_operator() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.is_operator := false;
    IF NOT NEW.is_demo THEN
        UPDATE installation SET operator_user_id = NEW.id WHERE operator_user_id IS NULL;
        NEW.is_operator := FOUND;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER users_first_is_operator BEFORE INSERT ON "users"
    FOR EACH ROW EXECUTE FUNCTION make_first_user_operator();

-- However the authentication library ends a session, requests are refused from that commit on.
CREATE FUNCTION end_account_session() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE account_sessions SET revoked_at = now(), version = version + 1 WHERE id = OLD.id AND revoked_at IS NULL;
    RETURN NULL;
END $$;
CREATE TRIGGER user_sessions_end_account_session AFTER DELETE ON "user_sessions"
    FOR EACH ROW EXECUTE FUNCTION end_account_session();
