"""tablelink, our open link protocol (docs/integrators/tablelink.md): `codec`, `messages`, `driver`.

For device classes whose vendors publish no host protocol: every kind that there is.
"""
