package operators

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity"
	"github.com/windieos/windie/state/ledger"
)

// maxInstalls is the maximum number of installs that the details of a user list.
const maxInstalls = 500

// addUsers registers the routes of users, budgets and tokens.
func (s *door) addUsers() {
	user := sdkapi.OperatorUserPath("{user_id}")
	register(s, operation("list-users", http.MethodGet, sdkapi.OperatorUsersPath, "List users",
		"Returns users with today's spend. A hosted gateway returns all users, oldest first. A local gateway returns the users who "+
			"have spent something today or have their own budget.", 422, 503), s.listUsers)
	register(s, operation("create-user", http.MethodPost, sdkapi.OperatorUsersPath, "Create a user", "The user has no token until you create one.", 503), s.createUser)
	register(s, operation("get-user", http.MethodGet, user, "Get a user",
		"Returns the user's installs, today's spend, storage and quotas.", 404, 422, 503), s.getUser)
	register(s, operation("put-budget", http.MethodPut, user+"/budget", "Set a user's budget",
		"From the user's next model request, the budget replaces the budget in the settings.", 400, 404, 413, 415, 422, 503), s.putBudget)
	register(s, operation("create-token", http.MethodPost, user+"/tokens", "Create a token",
		"Creates an install of the user with a token. The response shows the token once: the gateway stores only its hash.", 400, 404, 413, 415, 422, 503), s.createToken)
	gateway.Register(s.core, operation("revoke-install", http.MethodDelete, sdkapi.OperatorInstallsPath+"/{install_id}", "Revoke a token",
		"Revokes the token of the install. Open connections with the token end within a second.", 404, 422, 503), s.revokeInstall)
}

// usersInput selects a page of users.
type usersInput struct {
	After string `query:"after" maxLength:"160" doc:"Value of \"next\" in the previous page."`
	Limit int    `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"Maximum number of items."`
}

// listUsers returns one page of users, each with today's spend.
func (s *door) listUsers(ctx context.Context, in *usersInput) (*sdkapi.OperatorUserList, error) {
	users, err := s.someUsers(ctx, in.After, in.Limit+1)
	if err != nil {
		return nil, err
	}
	out := sdkapi.OperatorUserList{Users: []sdkapi.OperatorUser{}}
	if len(users) > in.Limit {
		users = users[:in.Limit]
		out.Next = s.cursorOf(users[in.Limit-1])
	}
	for _, u := range users {
		wire, err := s.wireUser(ctx, u)
		if err != nil {
			return nil, err
		}
		out.Users = append(out.Users, wire)
	}
	return &out, nil
}

// someUsers returns up to most users after a cursor; an empty cursor is the start. On a local
// gateway the users have only ids.
func (s *door) someUsers(ctx context.Context, after string, most int) (users []identity.User, err error) {
	if !s.hosted {
		names, err := s.ledger.Spenders(ctx, after, most)
		for _, name := range names {
			users = append(users, identity.User{ID: name})
		}
		return users, err
	}
	var created time.Time
	micros, id, _ := strings.Cut(after, ".")
	if after != "" {
		n, err := strconv.ParseInt(micros, 10, 64)
		if err != nil {
			return nil, fault.New("operators.users", sdkapi.ValidationError, "invalid page cursor in the query parameter \"after\"; list again without this parameter").At("query.after", "expected the field next of the previous page")
		}
		created = time.UnixMicro(n)
	}
	for u, err := range s.identity.UsersAfter(ctx, created, id) {
		if err != nil {
			return nil, err
		}
		if users = append(users, u); len(users) == most {
			break
		}
	}
	return users, nil
}

// cursorOf returns the cursor with which someUsers continues after u.
func (s *door) cursorOf(u identity.User) string {
	if !s.hosted {
		return u.ID
	}
	return strconv.FormatInt(u.Created.UnixMicro(), 10) + "." + u.ID
}

// wireUser returns a user with today's spend, in the API's form.
func (s *door) wireUser(ctx context.Context, u identity.User) (sdkapi.OperatorUser, error) {
	spent, err := s.ledger.Usage(ctx, u.ID)
	return sdkapi.OperatorUser{UserID: u.ID, CreatedAt: u.Created, Installs: u.Installs, OwnBudget: spent.Own, Usage: spent.Wire(u.ID)}, err
}

// user returns the user in a path. On a local gateway every valid id is a user. On a hosted one it
// fails if the user does not exist.
func (s *door) user(ctx context.Context, escaped string) (identity.User, error) {
	id, err := url.PathUnescape(escaped) // the router does not decode it
	switch {
	case err != nil || id == "" || len(id) > sdkapi.MaxUserLen || strings.IndexFunc(id, gateway.Unprintable) >= 0:
		return identity.User{}, fault.New("operators.user", sdkapi.ValidationError, "invalid user id").At("path.user_id", "expected at most %d bytes of printable ASCII", sdkapi.MaxUserLen)
	case !s.hosted:
		return identity.User{ID: id}, nil
	}
	return s.identity.User(ctx, id)
}

// createUser creates a user without a token.
func (s *door) createUser(ctx context.Context, _ *struct{}) (*sdkapi.OperatorUser, error) {
	user, err := s.identity.CreateUser(ctx)
	if err != nil {
		return nil, err
	}
	wire, err := s.wireUser(ctx, user)
	return &wire, err
}

// userInput names a user.
type userInput struct {
	UserID string `path:"user_id" maxLength:"384" doc:"The user's id."`
}

// getUser returns the details of a user. It lists at most maxInstalls installs.
func (s *door) getUser(ctx context.Context, in *userInput) (*sdkapi.OperatorUserDetails, error) {
	user, err := s.user(ctx, in.UserID)
	if err != nil {
		return nil, err
	}
	out := sdkapi.OperatorUserDetails{Installs: []sdkapi.OperatorToken{}, Kept: []sdkapi.KeptOfUser{}}
	if out.User, err = s.wireUser(ctx, user); err != nil {
		return nil, err
	}
	for install, err := range s.identity.List(ctx, user.ID) {
		if err != nil {
			return nil, err
		}
		if out.Installs = append(out.Installs, wireToken(install)); len(out.Installs) == maxInstalls {
			break
		}
	}
	held, err := s.retention.UsageOf(ctx, user.ID)
	for _, h := range held {
		out.Kept = append(out.Kept, sdkapi.KeptOfUser{Kind: h.Name, Items: h.Used.Items, Bytes: h.Used.Bytes, MaxItems: h.Most.Items, MaxBytes: h.Most.Bytes})
	}
	return &out, err
}

// wireToken converts an install to the API's form, without its token.
func wireToken(i identity.Install) sdkapi.OperatorToken {
	return sdkapi.OperatorToken{InstallID: i.ID, UserID: i.User, OperatingSystem: i.OperatingSystem, CreatedAt: i.Created, SeenAt: i.LastSeen, RevokedAt: i.Revoked}
}

type budgetInput struct {
	UserID string `path:"user_id" maxLength:"384" doc:"The user's id."`
	Body   sdkapi.OperatorBudget
}

// putBudget sets or removes a user's own budget. A limit of 0 in it means no limit of its kind.
func (s *door) putBudget(ctx context.Context, in *budgetInput) (*sdkapi.OperatorUser, error) {
	if in.Body.Default && (in.Body.Tokens != 0 || in.Body.MoneyMicros != 0) {
		return nil, fault.New("operators.budget", sdkapi.ValidationError, "default: true removes the user's own limits, so the request cannot set limits as well").At("body.default", "expected default without tokens and money_micros")
	}
	user, err := s.user(ctx, in.UserID)
	if err != nil {
		return nil, err
	}
	own := &ledger.Budget{Tokens: in.Body.Tokens, Micros: in.Body.MoneyMicros}
	if in.Body.Default {
		own = nil
	}
	if err := s.ledger.SetBudget(ctx, user.ID, own); err != nil {
		return nil, err
	}
	wire, err := s.wireUser(ctx, user)
	return &wire, err
}

type tokenInput struct {
	UserID string `path:"user_id" maxLength:"384" doc:"The user's id."`
	Body   sdkapi.OperatorTokenRequest
}

// createToken creates an install of a user. The response is the only one with the token.
func (s *door) createToken(ctx context.Context, in *tokenInput) (*sdkapi.OperatorToken, error) {
	id, err := url.PathUnescape(in.UserID)
	if err != nil {
		return nil, fault.New("operators.token", sdkapi.ValidationError, "invalid user id").At("path.user_id", "expected the user's id")
	}
	install, token, err := s.identity.Create(ctx, id, in.Body.OperatingSystem)
	if err != nil {
		return nil, err
	}
	wire := wireToken(install)
	wire.InstallToken = token
	return &wire, nil
}

// installInput names an install.
type installInput struct {
	InstallID string `path:"install_id" maxLength:"64" doc:"The install's id."`
}

// revokeInstall revokes the token of an install. It checks the caller itself, as register serves only routes with a
// response.
func (s *door) revokeInstall(ctx context.Context, in *installInput) (*struct{}, error) {
	if err := s.checkPerson(ctx); err != nil {
		return nil, err
	}
	return nil, s.identity.Revoke(ctx, in.InstallID)
}
