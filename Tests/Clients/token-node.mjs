// token-node.mjs KEY KID TEAM: signed by createSign.
import { createSign } from "node:crypto";
import { readFileSync } from "node:fs";

const [path, kid, team] = process.argv.slice(2);
const part = (bytes) => Buffer.from(bytes).toString("base64url");
const claims = { iss: team, iat: Math.floor(Date.now() / 1000) };
const signed = [{ alg: "ES256", kid }, claims].map((object) => part(JSON.stringify(object))).join(".");
console.log(`${signed}.${part(createSign("SHA256").update(signed).sign(readFileSync(path)))}`);
