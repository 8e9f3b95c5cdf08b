import { Pages } from './pages.js';
import { split } from './perception.js';
const at = encodeURIComponent;
const base = '/api/operator';
export class Operator {
    transport;
    constructor(transport) {
        this.transport = transport;
    }
    async settings(call = {}) {
        return (await this.transport.json('GET', `${base}/settings`, call)).settings;
    }
    async mcpServers(call = {}) {
        return (await this.transport.json('GET', `${base}/mcp-servers`, call)).servers;
    }
    async acceptMcpServer(name, changes, call = {}) {
        return (await this.transport.json('POST', `${base}/mcp-servers/${at(name)}/accept`, { ...call, safe: true, json: { changes } })).accepted;
    }
    users(options = {}) {
        const [call, query] = split(options);
        return new Pages(async (after) => {
            const page = await this.transport.json('GET', `${base}/users`, { ...call, query: { ...query, after } });
            return { items: page.users, next: page.next };
        }, options.after);
    }
    createUser(call = {}) {
        return this.transport.json('POST', `${base}/users`, call);
    }
    user(userId, call = {}) {
        return this.transport.json('GET', `${base}/users/${at(userId)}`, call);
    }
    setBudget(userId, budget, call = {}) {
        return this.transport.json('PUT', `${base}/users/${at(userId)}/budget`, { ...call, json: budget });
    }
    createToken(userId, operatingSystem = '', call = {}) {
        return this.transport.json('POST', `${base}/users/${at(userId)}/tokens`, { ...call, json: { operating_system: operatingSystem } });
    }
    revokeInstall(installId, call = {}) {
        return this.transport.json('DELETE', `${base}/installs/${at(installId)}`, call);
    }
    history(call = {}) {
        return this.transport.json('GET', `${base}/history`, call);
    }
    async kept(call = {}) {
        return (await this.transport.json('GET', `${base}/kept`, call)).kinds;
    }
    prune(request, call = {}) {
        return this.transport.json('POST', `${base}/prune`, { ...call, json: request, safe: true });
    }
}
