"""Kits that are style sheets."""

from .base import Kit

TABLE = '<table class="{k}">{{c}}</table>'

bootstrap = dict(
    button='<button type="button" class="btn btn-{v} {on}" {d}>{i} {t}</button>',
    iconbutton=['<button type="button" class="btn btn-outline-secondary btn-sm {on}" {d}>{i}</button>', '<button type="button" class="btn btn-light {on}" {d}>{i}</button>', '<button type="button" class="btn btn-link p-1 {on}" {d}>{i}</button>'],
    field=['<input class="form-control {bad}" {d}>', '<input class="form-control form-control-sm {bad}" {d}>'],
    area='<textarea class="form-control {bad}" rows="{n}" {d}>{t}</textarea>',
    select=['<select class="form-select" {d}><option>{t}</option></select>', '<select class="form-select form-select-sm" {d}><option>{t}</option></select>'],
    check='<div class="form-check mb-0"><input class="form-check-input" type="checkbox" {d}><label class="form-check-label">{t}</label></div>',
    radio='<div class="form-check mb-0"><input class="form-check-input" type="radio" {d}><label class="form-check-label">{t}</label></div>',
    switch='<div class="form-check form-switch mb-0"><input class="form-check-input" type="checkbox" {d}><label class="form-check-label">{t}</label></div>',
    slider='<input type="range" class="form-range" value="{n}" {d}>',
    progress='<div class="progress w-100" {d}><div class="progress-bar" style="width:{n}%"></div></div>',
    tabs=['<ul class="nav nav-tabs flex-nowrap">{c}</ul>', '<ul class="nav nav-pills flex-nowrap">{c}</ul>', '<ul class="nav nav-underline flex-nowrap">{c}</ul>'],
    tab='<li class="nav-item"><a class="nav-link text-nowrap {on} {off}" {d}>{i} {t} {c}</a></li>',
    segments='<div class="btn-group" data-role="panel">{c}</div>', segment='<button type="button" class="btn btn-outline-primary {on}" {d}>{i}{t}</button>',
    nav='<div class="nav nav-pills flex-column">{c}</div>', navitem='<a class="nav-link d-flex gap-2 align-items-center {on} {off}" {d}>{i}<span class="w-grow">{t}</span>{c}</a>',
    list='<div class="list-group" data-role="panel">{c}</div>', listitem='<div class="list-group-item list-group-item-action d-flex align-items-center gap-2 {on}" {d}>{c}</div>',
    menu='<div class="dropdown-menu show position-static" {d}>{c}</div>', menuitem='<a class="dropdown-item d-flex gap-2 align-items-center {on} {off}" {d}>{i}<span class="w-grow">{t}</span>{c}</a>', menuline='<div class="dropdown-divider"></div>',
    table=['<table class="table table-hover mb-0">{c}</table>', '<table class="table table-striped table-sm mb-0">{c}</table>', '<table class="table table-bordered mb-0">{c}</table>'],
    card='<div class="card" {d}><div class="card-body">{c}</div></div>',
    dialog='<div class="modal-content" {d}><div class="modal-header"><h5 class="modal-title" style="flex:1">{t}</h5>{x}</div><div class="modal-body">{c}</div><div class="modal-footer">{f}</div></div>',
    badge='<span class="badge text-bg-{v}" {d}>{t}</span>', alert='<div class="alert alert-{v} d-flex gap-2 mb-0" {d}>{i}<div class="w-grow">{t}</div>{x}</div>',
    pages='<ul class="pagination mb-0">{c}</ul>', page='<li class="page-item {on} {off}"><a class="page-link" {d}>{t}{i}</a></li>',
    crumbs='<ol class="breadcrumb mb-0 flex-nowrap text-nowrap">{c}</ol>', crumb='<li class="breadcrumb-item"><a href="#" {d}>{t}</a></li>',
    tip='<div class="tooltip show position-static opacity-100"><div class="tooltip-inner" {d}>{t}</div></div>', label='<label class="form-label mb-1">{t}</label>',
)
bs_variants = dict(primary="primary", default="secondary", text="light", danger="danger")

SHEETS = (
    Kit("free"),
    Kit("bootstrap", ("bootstrap/dist/css/bootstrap.min.css",), parts=bootstrap, variants=bs_variants, dark='data-bs-theme="dark"', accents=("#0d6efd",)),
    Kit("tabler", ("@tabler/core/dist/css/tabler.min.css",), parts=bootstrap | dict(
        badge='<span class="badge bg-blue-lt" {d}>{t}</span>', avatar='<span class="avatar">{t}</span>', segments='<div class="btn-group" data-role="panel">{c}</div>',
        segment='<button type="button" class="btn {on}" {d}>{i}{t}</button>', iconbutton=['<button type="button" class="btn btn-icon {on}" {d}>{i}</button>', '<button type="button" class="btn btn-action {on}" {d}>{i}</button>'],
        table='<table class="table table-vcenter card-table">{c}</table>'), variants=bs_variants | dict(default="outline-secondary", text="ghost-primary"), dark='data-bs-theme="dark"', accents=("#066fd1",)),
    Kit("coreui", ("@coreui/coreui/dist/css/coreui.min.css",), parts=bootstrap | dict(
        button='<button type="button" class="btn btn-{v} rounded-pill {on}" {d}>{i} {t}</button>', tabs='<ul class="nav nav-underline-border flex-nowrap">{c}</ul>'),
        variants=bs_variants | dict(default="outline-secondary", text="ghost-dark"), dark='data-coreui-theme="dark"', accents=("#5856d6",)),
)
