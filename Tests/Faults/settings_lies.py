"""Lies about settings that the judge has to find: each changes a copy of what a sound rig has left behind."""

LIES = {}


def act(rig, stage):
    pass


def undetected(rig, settings, orders, watch, truth):
    return []
