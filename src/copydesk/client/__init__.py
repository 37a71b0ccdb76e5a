"""The one way from copydesk to a service: hosted, or the embedded desk in this process.

``api.Api`` sends the operations that ``copydesk.contract`` declares. It knows neither how a request
is answered nor what is done with the answer; the two kinds of service differ in the transport and
in nothing else.
"""
