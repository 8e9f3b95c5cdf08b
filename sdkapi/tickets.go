package sdkapi

import "time"

// SocketTicketsPath is the route that issues a ticket for one WebSocket, by POST. Tickets are for
// clients that cannot send headers with a WebSocket, for example web pages. A gateway in local mode
// requires no token and ignores tickets.
const SocketTicketsPath = "/api/socket-tickets"

// TicketParam is the query parameter of a WebSocket's URL that holds a ticket.
const TicketParam = "ticket"

// SocketTicketSeconds is the time for which a ticket is valid, in seconds.
const SocketTicketSeconds = 30

// SocketTicketRequest asks for a ticket.
type SocketTicketRequest struct {
	Path string `json:"path" minLength:"1" maxLength:"256" pattern:"^/[ -~]*$" patternDescription:"a path" doc:"Path of the WebSocket, without the gateway's address and without a query." example:"/ws"`
}

// SocketTicket opens one WebSocket.
type SocketTicket struct {
	Ticket    string    `json:"ticket" doc:"The ticket. To open the WebSocket, add ticket=TICKET to the query of its URL. A ticket opens one socket." example:"ZKX4W2…"`
	Path      string    `json:"path" doc:"The only path for which the ticket is valid." example:"/ws"`
	ExpiresIn int       `json:"expires_in" doc:"Seconds until the ticket expires." example:"30"`
	ExpiresAt time.Time `json:"expires_at" doc:"When the ticket expires, by the gateway's clock."`
}
