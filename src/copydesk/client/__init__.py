"""The client of a service: hosted, or the embedded desk in this process.

``api.Api`` sends the operations that ``copydesk.contract`` declares. The two kinds of service
differ only in the transport.
"""
